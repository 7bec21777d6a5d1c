import os

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Deepfield(CMakePackage, CudaPackage):
    """Distributed renderer of the Mandelbrot set and other escape-time fractals at any depth, with
    iteration counts that are proven against multiprecision arithmetic."""

    # The archive of a release (git archive, CONTRIBUTING) lies in the folder that spack is called in; its
    # checksum belongs into version().
    manual_download = True
    url = f"file://{os.getcwd()}/deepfield-1.0.0.tar.gz"

    license("MIT", checked_by="deepfield")

    variant("window", default=False, description="The viewer's window, by SDL2")
    variant("serve", default=True, description="The viewer as a page, by libwebsockets")
    variant("isal", default=True, description="Faster compression on x86-64 and aarch64")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("gmp")
    depends_on("mpfr@4:")
    depends_on("zlib-api")
    depends_on("libpng@1.6:")
    depends_on("libtiff@4.5:")
    depends_on("openexr@3.1:")
    depends_on("libjpeg-turbo")
    depends_on("libwebp")
    depends_on("json-c")
    depends_on("iniparser")
    depends_on("xxhash")
    depends_on("zstd")
    depends_on("isa-l", when="+isal")
    depends_on("libwebsockets", when="+serve")
    depends_on("sdl2", when="+window")
    depends_on("sdl2-ttf", when="+window")
    depends_on("cuda@12:", when="+cuda")

    conflicts("cuda_arch=none", when="+cuda", msg="say which GPUs: cuda_arch=80,90")

    def cmake_args(self):
        args = [
            self.define("DEEPFIELD_TESTS", False),
            self.define_from_variant("DEEPFIELD_WINDOW", "window"),
            self.define_from_variant("DEEPFIELD_SERVE", "serve"),
            self.define("DEEPFIELD_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
        ]
        if self.spec.satisfies("+cuda"):
            architectures = ";".join(self.spec.variants["cuda_arch"].value)
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", architectures))
        return args

    def test_render(self):
        """render a picture and prove some of its counts"""
        deepfield = which(self.prefix.bin.deepfield)
        deepfield("render", "seahorse", "--size", "320x180", "-o", "seahorse.png")
        deepfield("verify", "seahorse", "--size", "320x180", "--pixels", "16")

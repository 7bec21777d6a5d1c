"""The app of Open OnDemand (configs/ondemand): its YAML and ERB are rendered as the portal does, and
its job runs here, with a `srun` that starts one rank; the portal's address then shows the page.

usage: serve_ondemand.py PROGRAM FOLDER CONFIGS
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

from service import port_free

FORM = {"cluster": "cluster", "view": "seahorse; touch intruder", "hours": "2", "ranks": "3", "gpus": "0"}
PORTAL = "ondemand.example.org"

RENDER = r"""
require "erb"; require "json"; require "ostruct"; require "yaml"
form = JSON.parse(ARGV[0])
context = OpenStruct.new(form)
ARGV[1..].each do |path|
  names = path.end_with?("submit.yml.erb", "view.html.erb") ? context.instance_eval { binding } : binding
  text = ERB.new(File.read(path), trim_mode: "-").result(names)
  puts JSON.generate(path.include?(".yml") ? YAML.safe_load(text) : text)
end
"""

# What a batch script of the template `basic` does around the files of an app.
JOB = """
export host port
find_port() { echo "$FREE_PORT"; }
export -f find_port
host=localhost
[[ ! -e before.sh ]] || source ./before.sh
./script.sh &
SCRIPT_PID=$!
source ./after.sh
printf 'host=%s\\nport=%s\\nfolder=%s\\ntoken=%s\\n' "$host" "$port" "$folder" "$token" >connection
wait "$SCRIPT_PID"
"""

SRUN = """#!/bin/bash
[[ $1 == --mpi=pmix ]] || exit 99
exec "${@:2}" --size 160x120
"""


def expect(true, what):
    if not true:
        raise SystemExit(f"not so: {what}")


def render(form, *paths):
    done = subprocess.run(["ruby", "-e", RENDER, json.dumps(form), *paths], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def forms(app):
    """Every word of the form is used, and what the form says becomes options of Slurm."""
    form, manifest = render(FORM, f"{app}/form.yml", f"{app}/manifest.yml")
    expect(manifest["role"] == "batch_connect" and manifest["name"] == "deepfield", "the manifest")
    expect(set(form["attributes"]) <= set(form["form"]), "each attribute is asked for")
    expect(set(form["attributes"]) == set(FORM) - {"cluster"}, "attributes are those that the test gives")
    for gpus, more in (("0", []), ("2", ["--gpus-per-node=2"])):
        submit = render(dict(FORM, gpus=gpus, ranks="3 --uid=0"), f"{app}/submit.yml.erb")[0]
        expect(submit["script"]["native"] == ["--ntasks=3", "--time=2:00:00", *more], "options of the job")
        expect(submit["batch_connect"] == {"template": "basic", "conn_params": ["folder", "token"]}, "the template")


def stage(app, folder):
    """The files of the job, rendered in place: they keep their permissions."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(f"{app}/template", folder)
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        text = render(FORM, path)[0]
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(path, path.removesuffix(".erb"))
        subprocess.run(["bash", "-n", path.removesuffix(".erb")], check=True)
    os.mkdir(os.path.join(folder, "bin"))
    with open(os.path.join(folder, "bin", "srun"), "w", encoding="ascii") as file:
        file.write(SRUN)
    os.chmod(os.path.join(folder, "bin", "srun"), 0o755)


def begin(program, folder):
    words = os.environ["PATH"].split(":")
    paths = [os.path.abspath(os.path.join(folder, "bin")), os.path.dirname(os.path.abspath(program)), *words]
    return subprocess.Popen(["bash", "-c", JOB], cwd=folder, start_new_session=True, stderr=subprocess.PIPE,
                            env=dict(os.environ, PATH=":".join(paths), FREE_PORT=str(port_free()), OOD_HOST=PORTAL))


def connection(job, folder):
    path = os.path.join(folder, "connection")
    until_s = time.monotonic() + 120
    while not os.path.exists(path) or not open(path, encoding="ascii").read().count("\n") == 4:
        expect(time.monotonic() < until_s and job.poll() is None, "the job tells where the page is")
        time.sleep(0.05)
    with open(path, encoding="ascii") as file:
        return dict(line.rstrip("\n").split("=", 1) for line in file)


def main(program, folder, configs):
    app = os.path.join(configs, "ondemand")
    forms(app)
    # A view is one word for the shell, whatever it is.
    stage(app, folder)
    with open(os.path.join(folder, "script.sh"), encoding="utf-8") as file:
        expect("view seahorse\\;\\ touch\\ intruder --serve" in file.read(), "a view is one word")
    FORM["view"] = "seahorse"
    stage(app, folder)
    job = begin(program, folder)
    try:
        where = connection(job, folder)
        link = re.search(r'href="([^"]*)"', render(where, f"{app}/view.html.erb")[0])[1]
        way = f"/rnode/{where['host']}/{where['port']}/"
        expect(link.startswith(way) and len(where["token"]) >= 32, f"the address of the page: {link}")
        request = urllib.request.Request(f"http://127.0.0.1:{where['port']}/{link[len(way):]}", headers={"Host": PORTAL})
        with urllib.request.urlopen(request, timeout=30) as answer:
            expect(answer.status == 200 and b"<canvas" in answer.read(), "the portal gets the page")
    finally:
        os.killpg(job.pid, signal.SIGTERM)
        job.wait(30)


if shutil.which("ruby") is None:
    print("skipped: no ruby here")
    sys.exit(77)
main(*sys.argv[1:])

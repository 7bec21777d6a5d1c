/* The headers that cuda_own.c gives to NVRTC; written by cmake/EmbedHeaders.cmake. */
#ifndef KERNELS_CUDA_CUDA_OWN_TEXTS_H
#define KERNELS_CUDA_CUDA_OWN_TEXTS_H

extern const char *const cuda_own_names[]; /* names as in #include */
extern const char *const cuda_own_texts[]; /* contents of these headers */
extern const int cuda_own_texts_count;

#endif

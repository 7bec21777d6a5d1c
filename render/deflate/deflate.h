/* Deflate streams from pieces that are compressed independently, by as many threads, and their
 * checksums. By ISA-L where it is packaged (deflate_isal.c), else by zlib (deflate_zlib.c): the
 * bytes of a file are the same for any number of threads, but not for another library or another
 * version of it.
 *
 * P. Deutsch, RFC 1951 (deflate) and RFC 1950 (zlib), 1996. */
#ifndef RENDER_DEFLATE_DEFLATE_H
#define RENDER_DEFLATE_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

enum deflate_end {
    DEFLATE_MORE, /* ends at a byte; another piece can follow */
    DEFLATE_LAST  /* ends the stream */
};

enum {
    DEFLATE_PIECE_MAX = 1 << 30,
    /* before the first piece; with the checksum behind the last it is a zlib stream */
    ZLIB_HEADER_BYTES = 2,
    ZLIB_SUM_BYTES = 4
};

struct deflater;

/* Creates a deflater, one for each thread; NULL without memory. */
struct deflater *deflater_create(void);
void deflater_destroy(struct deflater *deflater); /* accepts NULL */

/* Most bytes that a piece of `length` can become. */
size_t deflate_most(size_t length);

/* Compresses a piece of 1 ... DEFLATE_PIECE_MAX bytes into out[deflate_most(length)]; returns its
 * length. */
size_t deflate_piece(struct deflater *deflater, const uint8_t *in, size_t length,
                     enum deflate_end end, uint8_t *out);

/* Stores a piece without compression; returns its length. */
size_t deflate_store(const uint8_t *in, size_t length, enum deflate_end end, uint8_t *out);

/* Buffers and deflater of a thread that compresses differences of samples. */
struct packer {
    struct deflater *deflater;
    uint8_t *in, *out;
};

/* Creates packers with buffers of these sizes; NULL without memory. */
struct packer *packers_create(int threads, size_t in_bytes, size_t out_bytes);
void packers_destroy(struct packer *packers, int threads); /* accepts NULL */

/* Compresses a piece of differences of samples: of 8 bits by deflate_runs, of 16 bits by
 * deflate_piece, which makes them smaller. */
size_t packer_piece(const struct packer *packer, int bits, const uint8_t *in, size_t length,
                    enum deflate_end end, uint8_t *out);

void zlib_header(uint8_t out[ZLIB_HEADER_BYTES]);

/* Adler-32 of bytes that follow those of `sum`, which is 1 at the beginning. */
uint32_t deflate_adler(uint32_t sum, const uint8_t *bytes, size_t length);

/* Adler-32 of two parts from their sums, the second of `length` bytes. */
uint32_t deflate_adler_join(uint32_t first, uint32_t second, size_t length);

/* CRC-32 of PNG and gzip, of bytes that follow those of `sum`, which is 0 at the beginning. */
uint32_t deflate_crc(uint32_t sum, const uint8_t *bytes, size_t length);

void bytes_set_big_endian(uint8_t out[4], uint32_t value);

#endif

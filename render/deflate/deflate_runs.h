/* Deflate of the differences of neighbouring samples, whose only repetitions worth finding are runs
 * of one byte: Huffman codes made for each piece, and no search for matches. On pictures smaller
 * than ISA-L's level 0 and zlib's level 1, in a third of the time of the faster one
 * (render/file/png_writer.c has figures). The bytes depend on the piece alone.
 *
 * P. Deutsch, RFC 1951 (deflate), 1996. */
#ifndef RENDER_DEFLATE_DEFLATE_RUNS_H
#define RENDER_DEFLATE_DEFLATE_RUNS_H

#include "render/deflate/deflate.h"

/* Compresses like deflate_piece, without a deflater. */
size_t deflate_runs(const uint8_t *in, size_t length, enum deflate_end end, uint8_t *out);

#endif

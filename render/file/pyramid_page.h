/* The page that shows a pyramid: render/file/pyramid_page.html with Leaflet in it, as
 * cmake/embed.cmake makes it when the program is built. */
#ifndef RENDER_FILE_PYRAMID_PAGE_H
#define RENDER_FILE_PYRAMID_PAGE_H

#include <stddef.h>

extern const unsigned char pyramid_page_packed[]; /* by gzip */
extern const size_t pyramid_page_packed_bytes;
extern const size_t pyramid_page_bytes;
extern const size_t
    pyramid_page_facts_at; /* offset at which the JSON about the picture is inserted */

#endif

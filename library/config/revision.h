/* The commit that the program was built from: "0123456789ab", with "-dirty" behind it when files
 * had been changed, or "unknown". Defined by a file that cmake/DeepfieldRevision.cmake writes. */
#ifndef LIBRARY_CONFIG_REVISION_H
#define LIBRARY_CONFIG_REVISION_H

extern const char deepfield_revision[];

#endif

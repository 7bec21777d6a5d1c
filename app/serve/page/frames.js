// Frames of the server, as app/serve/page_frame.h describes them, and the socket that they come by.
"use strict";
var deepfield_frames = (function () {
    function parse(buffer) {
        const bytes = new DataView(buffer);
        if (bytes.byteLength < 24 || bytes.getUint8(0) !== 68)
            throw new Error("no frame");
        const made = {flags: bytes.getUint8(1), sequence: bytes.getUint32(4, true),
                      motion: bytes.getUint32(8, true), width: bytes.getUint16(12, true),
                      height: bytes.getUint16(14, true), exact: bytes.getUint32(20, true), cells: []};
        let at = 24;
        for (let i = bytes.getUint16(2, true); i > 0; i--) {
            const length = bytes.getUint32(at + 12, true);
            const type = bytes.getUint8(at + 8) === 1 ? "image/webp" : "image/jpeg";
            made.cells.push({x: bytes.getUint16(at, true), y: bytes.getUint16(at + 2, true),
                             width: bytes.getUint16(at + 4, true), height: bytes.getUint16(at + 6, true),
                             blob: new Blob([new Uint8Array(buffer, at + 16, length)], {type: type})});
            at += 16 + length;
        }
        return made;
    }

    function decode(cell) {
        return createImageBitmap(cell.blob, {premultiplyAlpha: "none", colorSpaceConversion: "none"});
    }

    // The socket that frames come by, of this page's own folder.
    function socket() {
        const address = new URL("socket", location.href);
        address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
        address.search = "";
        const opened = new WebSocket(address.href, "deepfield");
        opened.binaryType = "arraybuffer";
        return opened;
    }

    return {parse: parse, decode: decode, socket: socket};
}());

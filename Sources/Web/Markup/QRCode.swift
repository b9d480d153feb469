internal import CQREncode

/// A QR code as a picture, made by libqrencode.
package enum QRCode {
  /// Returns the code of a text, with the words for those who do not see it; nil for a text that is too long.
  ///
  /// It is black on white in dark pages too, because cameras expect that.
  package static func picture(_ text: String, label: String) -> HTML? {
    guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    var rows: [HTML] = []
    for row in 0..<width {
      var column = 0
      while column < width {
        let start = column
        while column < width, code.pointee.data[row * width + column] & 1 == 1 { column += 1 }
        // Four modules around the code stay white.
        if column > start {
          rows.append("<path d=\"M\(start + 4) \(row + 4)h\(column - start)v1h-\(column - start)z\"/>")
        }
        column += 1
      }
    }
    return """
      <svg class="qr" viewBox="0 0 \(width + 8) \(width + 8)" role="img" aria-label="\(label)" shape-rendering="crispEdges"><rect class="qr-ground" width="\(width + 8)" height="\(width + 8)"/><g class="qr-code">\(rows)</g></svg>
      """
  }
}

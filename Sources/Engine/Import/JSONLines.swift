internal import Domain
internal import Store

/// A file with one JSON object per line.
struct JSONLines {
  /// One line of the file.
  struct Line {
    let number: Int
    /// The object; nil if the line is not an object.
    let object: JSONObject?
    /// The reason why the line is not an object; nil if it is one.
    let fault: String?
    /// The bytes of the line, without its end.
    let source: [UInt8]
  }

  private let path: String
  private let layout: FileLayout

  init(path: String, layout: FileLayout) {
    self.path = path
    self.layout = layout
  }

  /// Passes every line that is not blank to `body`.
  ///
  /// - Returns: the detected encoding, and true if the file begins with a byte order mark.
  /// - Throws: `invalid_import` naming the line that cannot be decoded or exceeds 16 MB, and for a file with
  ///   only blank lines.
  @discardableResult
  func read(_ body: (Line) throws -> Void) throws -> (encoding: FileEncoding, hasMark: Bool) {
    var lines = LineReader()
    var decoder = FileDecoder(layout.encoding)
    var isEmpty = true
    func take(_ number: Int, _ bytes: [UInt8]) throws {
      isEmpty = false
      try body(Self.line(number, bytes))
    }
    try FileChunks(path: path).forEach { chunk in
      try decoder.decode(chunk) { try lines.read($0, take) }
    }
    try decoder.finish { try lines.read($0, take) }
    try lines.finish(take)
    if isEmpty { throw CSVFile.empty }
    return (decoder.encoding, decoder.hasMark)
  }

  private static func line(_ number: Int, _ bytes: [UInt8]) -> Line {
    func faulty(_ reason: String) -> Line { Line(number: number, object: nil, fault: reason, source: bytes) }
    guard let text = String(validating: bytes, as: UTF8.self) else { return faulty(ImportFault.notUTF8) }
    do throws(DomainError) {
      guard let object = try JSONValue(parsing: text).object else {
        return faulty("the line is not a JSON object")
      }
      return Line(number: number, object: object, fault: nil, source: bytes)
    } catch {
      return faulty("the line is not valid JSON: \(error.message)")
    }
  }
}

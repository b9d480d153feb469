/// The first line and the fields of an HTTP message.
struct HTTPHead {
  /// The first line.
  let line: String
  /// The fields by name in lower case; of a repeated one, the last.
  let fields: [String: String]
  /// The index of the first byte of the body.
  let end: Int

  /// The length of the body, if a field says it.
  var length: Int? { fields["content-length"].flatMap { Int($0) } }

  /// Reads the head; nil if it has not arrived wholly.
  init?(_ bytes: [UInt8]) {
    let separator = Array("\r\n\r\n".utf8)
    guard let end = bytes.indices.first(where: { bytes[$0] == 13 && bytes[$0...].starts(with: separator) })
    else { return nil }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
    let pairs = lines.dropFirst().map { $0.split(separator: ":", maxSplits: 1) }.filter { $0.count == 2 }
    line = String(lines.first ?? "")
    fields = Dictionary(
      pairs.map { ($0[0].lowercased(), String($0[1].drop { $0 == " " })) },
      uniquingKeysWith: { $1 }
    )
    self.end = end + separator.count
  }
}

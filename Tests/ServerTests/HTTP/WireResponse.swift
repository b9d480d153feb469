import Foundation
import Testing

/// A response, as far as the tests read it.
struct WireResponse {
  let status: Int
  /// The fields by name in lower case; repeated ones are joined by commas.
  let headers: [String: String]
  let body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }

  /// Returns the complete responses in bytes, in order.
  static func parseAll(_ bytes: [UInt8]) -> [WireResponse] {
    var (rest, responses) = (bytes, [] as [WireResponse])
    while let (response, left) = parse(rest) {
      responses.append(response)
      rest = left
    }
    return responses
  }

  /// Parses the first response in bytes; nil if it is not complete. Returns the rest too.
  ///
  /// - Parameter isHead: true if the response has no body whatever its fields say.
  static func parse(_ bytes: [UInt8], isHead: Bool = false) -> (response: WireResponse, rest: [UInt8])? {
    guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: Array("\r\n\r\n".utf8)) }) else {
      return nil
    }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
    guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      return nil
    }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let name = line[..<colon].lowercased()
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      headers[name] = headers[name].map { "\($0), \(value)" } ?? value
    }
    var rest = Array(bytes[(end + 4)...])
    if status == 100 { return parse(rest, isHead: isHead) }
    guard !isHead, status != 204, status != 304 else {
      return (Self(status: status, headers: headers, body: []), rest)
    }
    if let length = headers["content-length"].flatMap({ Int($0) }) {
      guard rest.count >= length else { return nil }
      let body = Array(rest[..<length])
      rest.removeFirst(length)
      return (Self(status: status, headers: headers, body: body), rest)
    }
    var body: [UInt8] = []
    while true {
      guard let line = rest.firstIndex(of: 10), line > 0,
        let size = Int(String(decoding: rest[..<(line - 1)], as: UTF8.self), radix: 16),
        rest.count >= line + 1 + size + 2
      else { return nil }
      body += rest[(line + 1)..<(line + 1 + size)]
      rest = Array(rest[(line + 1 + size + 2)...])
      if size == 0 { return (Self(status: status, headers: headers, body: body), rest) }
    }
  }
}

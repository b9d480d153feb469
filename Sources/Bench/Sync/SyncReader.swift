internal import Domain
internal import FoundationEssentials
internal import Glibc

/// A device that pulls changes, from one thread.
final class SyncReader {
  private let device: UUID
  private let connection: Connection
  /// The cursor of the last page; empty before the first.
  private(set) var cursor = ""

  init(_ device: UUID, _ connection: Connection, after cursor: String = "") {
    self.device = device
    self.connection = connection
    self.cursor = cursor
  }

  var path: String { "/v1/sync/changes?device=\(device.text)" + (cursor.isEmpty ? "" : "&cursor=\(cursor)") }

  /// - Returns: the page as bytes, and whether there is more.
  func page() throws -> (body: [UInt8], hasMore: Bool) {
    let body = try connection.require("GET", path).body
    // The cursor and what follows it are at the end, after changes of up to a megabyte.
    let end = String(decoding: body.suffix(8_192), as: UTF8.self)
    guard let mark = end.ranges(of: "\"cursor\":\"").last else {
      throw Failure("the page has no cursor: \(end)")
    }
    cursor = String(end[mark.upperBound...].prefix { $0 != "\"" })
    return (body, end.contains("\"has_more\":true"))
  }

  /// Pulls everything.
  ///
  /// - Parameter take: gets each page.
  /// - Returns: the number of changes.
  @discardableResult
  func pull(_ take: ([UInt8]) -> Void = { _ in }) throws -> Int {
    var count = 0
    while true {
      let (body, hasMore) = try page()
      take(body)
      count += body.occurrences(of: "\"op\":\"put\"")
      if !hasMore { return count }
    }
  }
}

extension [UInt8] {
  /// Returns the number of places at which the bytes of a text begin.
  func occurrences(of text: StaticString) -> Int {
    let wanted = text.utf8CodeUnitCount
    return withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      var found = 0
      var index = 0
      while index + wanted <= bytes.count {
        let isHere = bytes[index] == text.utf8Start[0] && memcmp(start + index, text.utf8Start, wanted) == 0
        if isHere { found += 1 }
        index += isHere ? wanted : 1
      }
      return found
    }
  }
}

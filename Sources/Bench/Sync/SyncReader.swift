internal import Domain
internal import FoundationEssentials

/// A device that pulls changes, from one thread.
final class SyncReader {
  let device: UUID
  private let connection: LocalConnection
  /// The cursor of the last page; nil before the first.
  private(set) var cursor: String?

  init(_ device: UUID, _ connection: LocalConnection, after cursor: String? = nil) {
    self.cursor = cursor
    self.device = device
    self.connection = connection
  }

  /// Pulls one page, and moves the cursor.
  ///
  /// - Returns: the page as bytes, and whether there is more.
  func page() throws -> (body: [UInt8], hasMore: Bool) {
    let after = cursor.map { "&cursor=\($0)" } ?? ""
    let answer = try connection.require("GET", "/v1/sync/changes?device=\(device.text)\(after)")
    // The cursor and what follows it are at the end, after changes of up to a megabyte.
    guard let cursor = answer.body.lastString("cursor") else {
      throw Tool.Failure(description: "the page has no cursor: \(answer.text.suffix(500))")
    }
    self.cursor = cursor
    return (answer.body, answer.body.suffix(4_096).contains(text: "\"has_more\":true"))
  }

  /// Pulls everything.
  ///
  /// - Returns: the pages.
  func pages() throws -> [[UInt8]] {
    var pages: [[UInt8]] = []
    while true {
      let (body, hasMore) = try page()
      pages.append(body)
      if !hasMore { return pages }
    }
  }

  /// Pulls everything, and keeps nothing.
  ///
  /// - Returns: the number of changes.
  @discardableResult
  func drain() throws -> Int {
    var count = 0
    while true {
      let (body, hasMore) = try page()
      count += body.occurrences(of: "\"op\":\"put\"")
      if !hasMore { return count }
    }
  }
}

extension [UInt8] {
  /// Returns the last text value of a member of a JSON document whose value has no escapes.
  func lastString(_ name: String) -> String? {
    let mark = Array("\"\(name)\":\"".utf8)
    guard count >= mark.count else { return nil }
    for start in stride(from: count - mark.count, through: 0, by: -1) where self[start] == mark[0] {
      guard self[start..<start + mark.count].elementsEqual(mark) else { continue }
      return String(
        decoding: self[(start + mark.count)...].prefix { $0 != UInt8(ascii: "\"") },
        as: UTF8.self
      )
    }
    return nil
  }
}

extension ArraySlice<UInt8> {
  fileprivate func contains(text: String) -> Bool {
    String(decoding: self, as: UTF8.self).contains(text)
  }
}

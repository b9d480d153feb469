/// A client of Kinto that gets the records changed since its last request, from one thread.
final class KintoReader {
  private let connection: LocalConnection
  /// The time stamp of the collection in the last answer; nil before the first.
  private(set) var since: String?

  private let collection: String

  init(_ connection: LocalConnection, of collection: String, since: String? = nil) {
    self.connection = connection
    self.since = since
    self.collection = collection
  }

  /// Gets the records that changed since the last call, following pages.
  ///
  /// - Returns: the bodies of the pages.
  func pull() throws -> [[UInt8]] {
    var path = "/v1\(collection)/records" + (since.map { "?_since=%22\($0)%22" } ?? "?_limit=10000")
    var pages: [[UInt8]] = []
    var stamp: String?
    while true {
      let answer = try connection.require("GET", path)
      pages.append(answer.body)
      // Records that change while pages are read are part of the next pull.
      stamp = stamp ?? answer.headers["etag"].map { $0.filter { $0 != "\"" } }
      guard let next = answer.headers["next-page"], let start = next.firstRange(of: "/v1/")?.lowerBound else {
        break
      }
      path = String(next[start...])
    }
    since = stamp
    return pages
  }
}

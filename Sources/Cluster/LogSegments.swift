/// The segments of PostgreSQL's log in an archive.
package struct LogSegments: Sendable {
  /// A segment, named by its timeline, its file of 4 GiB and its place there, in hexadecimal.
  private struct Segment: Hashable, Comparable {
    let timeline: Int
    let file: Int
    let part: Int

    init?(_ name: some StringProtocol) {
      let digits = Array(name)
      guard digits.count == 24,
        let timeline = Int(String(digits[0..<8]), radix: 16),
        let file = Int(String(digits[8..<16]), radix: 16),
        let part = Int(String(digits[16..<24]), radix: 16)
      else { return nil }
      self.timeline = timeline
      self.file = file
      self.part = part
    }

    static func < (left: Segment, right: Segment) -> Bool {
      (left.timeline, left.file, left.part) < (right.timeline, right.file, right.part)
    }
  }

  private let segments: [Segment]

  /// Reads the names of files, as `000000010000000000000002-9f3a….zst`. Histories and partial segments are ignored.
  package init(files: [String]) {
    let names = files.compactMap { $0.split(separator: "/").last }
    segments = Set(names.compactMap { Segment($0.prefix { $0 != "-" }) }).sorted()
  }

  /// The name of the last segment of the newest timeline.
  package var newest: String? { segments.last.map { Self.name($0.timeline, $0.file, $0.part) } }

  /// Returns the names of the first and last segment of each gap.
  ///
  /// - Parameter start: the first segment that is needed.
  package func gaps(from start: String) -> [(first: String, last: String)] {
    guard let start = Segment(start) else { return [] }
    // The size of a segment is not in its name: a power of two of them fills a file.
    var count = 1
    while count <= (segments.map(\.part).max() ?? 0) { count *= 2 }
    func number(_ segment: Segment) -> Int { segment.file * count + segment.part }
    var gaps: [(first: String, last: String)] = []
    var timeline = start.timeline
    var next = number(start)
    for segment in segments where segment.timeline >= start.timeline && number(segment) >= number(start) {
      // A timeline begins inside of the one before it, which may have gone on.
      if number(segment) > next {
        let last = number(segment) - 1
        gaps.append(
          (Self.name(timeline, next / count, next % count), Self.name(timeline, last / count, last % count))
        )
      }
      timeline = segment.timeline
      next = number(segment) + 1
    }
    return gaps
  }

  private static func name(_ parts: Int...) -> String {
    parts.map { part in
      let digits = String(part, radix: 16, uppercase: true)
      return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }.joined()
  }
}

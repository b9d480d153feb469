import Cluster
import Testing

/// An archive of PostgreSQL's log without gaps is needed to restore what was committed.
@Suite struct LogSegmentsTests {
  private func files(_ names: [String]) -> [String] {
    names.map { "\($0.prefix(16))/\($0)-2d1c3e0e1a9e4c83.zst" }
  }

  @Test func `a missing segment is named, also where a file of 4 GiB and a timeline end`() {
    let archive = LogSegments(
      files: files([
        // An earlier one than the oldest backup needs.
        "000000010000000000000001",
        "0000000100000000000000FD", "0000000100000000000000FF", "000000010000000100000000",
        "000000010000000100000003",
        // The second timeline begins inside of the first one.
        "000000020000000100000002", "000000020000000100000003", "000000020000000100000005",
      ]) + ["00000002.history", "00000001000000010000000A.partial-2d1c3e0e1a9e4c83.zst"]
    )
    let gaps = archive.gaps(from: "0000000100000000000000FC")
    #expect(
      gaps.map(\.first) == [
        "0000000100000000000000FC", "0000000100000000000000FE", "000000010000000100000001",
        "000000020000000100000004",
      ]
    )
    #expect(
      gaps.map(\.last) == [
        "0000000100000000000000FC", "0000000100000000000000FE", "000000010000000100000002",
        "000000020000000100000004",
      ]
    )
    #expect(archive.newest == "000000020000000100000005")
  }

  @Test func `an archive without gaps has none, also if the server was promoted`() {
    let archive = LogSegments(
      files: files([
        "000000010000000000000002", "000000010000000000000003", "000000010000000000000004",
        "000000020000000000000004", "000000020000000000000005",
      ])
    )
    #expect(archive.gaps(from: "000000010000000000000002").isEmpty)
    #expect(LogSegments(files: []).newest == nil)
  }
}

import Domain
import Foundation
import Testing

@testable import Engine

/// The ids and columns of lines, which are searched for without parsing.
@Suite struct ArchiveLineTests {
  private static let old = UUID()
  private static let map = IDMap(rows: [old], people: [:])
  private static let (text, other) = (written(old), written(map(old)))

  private static func written(_ id: UUID) -> String { id.uuidString.lowercased() }

  private func mapped(_ line: String) -> String {
    String(decoding: Self.map(Array(line.utf8)), as: UTF8.self)
  }

  @Test func `an id is replaced wherever it begins`() {
    for offset in 0..<40 {
      for space in [" ", "-", "x", "ö"] {
        let (before, after) = (String(repeating: space, count: offset), String(repeating: space, count: 3))
        #expect(mapped(before + Self.text + after) == before + Self.other + after)
      }
      // Words of digits before it, which a search could take for its beginning.
      let digits = String(repeating: "a", count: offset)
      #expect(mapped("\(digits)-\(Self.text)") == "\(digits)-\(Self.other)")
      #expect(mapped("\(digits),\(Self.text),\(Self.text)") == "\(digits),\(Self.other),\(Self.other)")
    }
  }

  @Test func `an id of 32 digits is replaced, and a longer word, a part of an id and another id are not`() {
    let (bare, otherBare) = (Self.text.filter { $0 != "-" }, Self.other.filter { $0 != "-" })
    #expect(mapped("\"\\\\x\(bare)\"") == "\"\\\\x\(otherBare)\"")
    for same in [
      bare + bare, "0" + bare, bare + "0", "0\(Self.text)", "\(Self.text)0", String(Self.text.dropLast()),
      Self.written(UUID()), "",
    ] { #expect(mapped(same) == same) }
    #expect(mapped("\(bare)-\(bare)") == "\(otherBare)-\(otherBare)")
  }

  @Test func `columns are read at the top of a line only`() throws {
    let line =
      #"{"a":{"id":"no","x":["}",{"id":"no"}]},"b":"\",\"id\":\"no","id":"1","hash":"\\x00ff","n":null,"f":1.5}"#
    func read(_ line: String, _ columns: String...) throws -> [String?] {
      try ArchiveLine.strings(of: columns, in: Array(line.utf8))
    }
    #expect(try read(line, "hash", "id", "n", "f", "gone") == [#"\x00ff"#, "1", nil, nil, nil])
    // Another form than PostgreSQL's is parsed.
    #expect(try read(#" { "\u0069d" : "2" , "b" : "x\ty" } "#, "id", "b") == ["2", "x\ty"])
    #expect(throws: (any Error).self) { try read(#"{"id":"1""#, "id") }
    for (column, hasValue) in ["id": true, "n": false, "f": true, "a": true, "gone": false, "x": false] {
      #expect(try ArchiveLine.hasValue(in: ["gone", column], of: Array(line.utf8)) == hasValue, "\(column)")
    }
  }

  @Test func `bytes of a column are replaced, and those of others stay`() throws {
    let line = Array(#"{"a":"\\x01","hash":"\\x01","b":"\\x01"}"#.utf8)
    let replaced = try ArchiveLine.replacing("hash", [1], by: [2, 3], in: line)
    #expect(String(decoding: replaced, as: UTF8.self) == #"{"a":"\\x01","hash":"\\x0203","b":"\\x01"}"#)
    #expect(throws: DomainError.self) { try ArchiveLine.replacing("c", [1], by: [2], in: line) }
  }
}

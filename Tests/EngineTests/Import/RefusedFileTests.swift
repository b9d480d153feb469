import Domain
import Foundation
import Testing

@testable import Engine

@Suite struct RefusedFileTests {
  private static func text(_ form: FileForm, _ lines: [RefusedLine]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try RefusedFile(form, lines).write { bytes += $0 }
    return bytes
  }

  private static func line(_ number: Int, _ reason: String, _ source: String) -> RefusedLine {
    RefusedLine(line: number, reason: reason, source: Array(source.utf8))
  }

  @Test func `the original columns come first, then line and reason`() throws {
    let form = FileForm(delimiter: UInt8(ascii: ";"), heading: Array("Datum;Text".utf8))
    let lines = [
      Self.line(7, #"reported_on: "x;y" is not a date"#, #"x;"6"" hose""#), Self.line(9, "bad", "1;2"),
    ]
    let expected =
      "Datum;Text;line;reason\r\n"
      + #"x;"6"" hose";7;"reported_on: ""x;y"" is not a date""# + "\r\n1;2;9;bad\r\n"
    #expect(String(decoding: try Self.text(form, lines), as: UTF8.self) == expected)
  }

  @Test func `a file without refused lines has the heading`() throws {
    #expect(try Self.text(FileForm(heading: Array("a,b".utf8)), []) == Array("a,b,line,reason\r\n".utf8))
  }

  @Test(arguments: [FileEncoding.utf8, .utf16LittleEndian, .utf16BigEndian, .windows1252])
  func `the file has the encoding and the mark of the original`(encoding: FileEncoding) throws {
    let hasMark = encoding != .windows1252
    let form = FileForm(encoding: encoding, hasMark: hasMark, heading: Array("Größe".utf8))
    let expected = (hasMark ? encoding.mark : []) + encoding.encode("Größe,line,reason\r\nö,2,bad\r\n".utf8)
    #expect(try Self.text(form, [Self.line(2, "bad", "ö")]) == expected)
  }

  @Test func `a file or type with a line or a reason of its own gets other names`() {
    #expect(RefusalColumns.free(beside: ["cost", "reason"]) == .prefixed)
    #expect(RefusalColumns.free(beside: ["cost"]) == .plain)
    #expect(RefusalColumns.found(in: ["a", "line", "reason"], taken: ["a"]) == .plain)
    #expect(RefusalColumns.found(in: ["a", "line", "reason"], taken: ["reason"]) == nil)
    #expect(RefusalColumns.found(in: ["line", "reason", "a"], taken: []) == nil)
    #expect(
      RefusalColumns.found(in: ["line", "reason", "import_line", "import_reason"], taken: []) == .prefixed
    )
  }

  @Test func `an object of JSON lines gets two members, and a line that is none stays as it was`() throws {
    let lines = [
      Self.line(1, "machine_id is missing", #"{"text":"a","cost":1.50}"#), Self.line(2, "no JSON", "{oops"),
      // What cannot be read is kept as it is written.
      Self.line(3, "out of range", #"{"text":"b","cost":1e400} "#),
    ]
    let expected =
      #"{"text":"a","cost":1.50,"line":1,"reason":"machine_id is missing"}"# + "\n{oops\n"
      + #"{"text":"b","cost":1e400,"line":3,"reason":"out of range"}"# + "\n"
    #expect(String(decoding: try Self.text(FileForm(format: .jsonl), lines), as: UTF8.self) == expected)
  }
}

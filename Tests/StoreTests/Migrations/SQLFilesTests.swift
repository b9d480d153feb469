import FettleSQL
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct SQLFilesTests {
  @Test func `the binary carries every file of the folder sql but the lints and the examples`()
    throws
  {
    let present = try SourceTree.files(below: "sql").filter { path in
      !path.hasPrefix("lint/") && !path.hasPrefix("examples/")
    }
    #expect(SQLFiles.all.map(\.path).sorted() == present)
    #expect(present.count > 10)
  }

  @Test func `each is carried byte for byte, under its own name`() throws {
    for file in SQLFiles.all {
      let text = try SourceTree.text("sql/\(file.path)")
      #expect(file.bytes == Array(text.utf8), "\(file.path)")
    }
  }
}

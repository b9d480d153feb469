import FettleSQL
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct SQLFilesTests {
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

  @Test func `every report view has a version in its name and declares its columns`() throws {
    let reports = SQLFiles.all.filter { $0.path.contains(/^(report|apps\/[a-z]+\/reports)\//) }
    #expect(reports.count > 20)
    for file in reports {
      #expect(file.path.contains(/\/v[1-9][0-9]*_[a-z0-9_]+\.sql$/), "\(file.path)")
      #expect(String(decoding: file.bytes, as: UTF8.self).contains("\n-- columns: "), "\(file.path)")
    }
  }
}

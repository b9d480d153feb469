internal import FoundationEssentials
package import Store

/// The app of `sql/examples/orchard`, the one that the documentation builds, as files that a test may change.
package struct ExampleApp: Sendable {
  /// Path in the folder to what the file says.
  package private(set) var files: [String: String]

  /// An app of a test's own.
  package init(files: [String: String]) { self.files = files }

  /// Where the app's folder is in the sources: this file is in `Tests/TestDatabase`.
  package static var folder: String {
    #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 } + "/sql/examples/orchard"
  }

  /// The app as it is in the sources.
  package static func read() throws -> ExampleApp {
    var files: [String: String] = [:]
    for folder in [""] + AppFile.folders.map({ $0 + "/" })
    where FileManager.default.fileExists(atPath: "\(Self.folder)/\(folder)") {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(Self.folder)/\(folder)")
      where AppFile.counts(folder + name) {
        files[folder + name] = try String(contentsOfFile: "\(Self.folder)/\(folder)\(name)", encoding: .utf8)
      }
    }
    return ExampleApp(files: files)
  }

  /// What was to be replaced is not there.
  package struct NothingPlanted: Error {
    package let text: String
  }

  /// The same app with a text in one of its files replaced.
  package func replacing(_ text: String, with other: String, in file: String) throws -> ExampleApp {
    guard let old = files[file], old.contains(text) else { throw NothingPlanted(text: text) }
    var copy = self
    copy.files[file] = old.replacing(text, with: other)
    return copy
  }

  /// The same app with a file more.
  package func adding(_ file: String, _ text: String) -> ExampleApp {
    var copy = self
    copy.files[file] = text
    return copy
  }

  /// Version 2: a tree gets a height, which its view shows and the company may edit.
  package func upgraded() throws -> ExampleApp {
    try replacing("version: 1", with: "version: 2", in: "orchard.app.yaml")
      .replacing(
        "editable: [variety, planted_on]",
        with: "editable: [variety, planted_on, height]",
        in: "orchard.app.yaml"
      )
      .replacing("t.planted_on,", with: "t.planted_on, t.height,", in: "views/v_tree.sql")
      .adding(
        "changes/0001_height.sql",
        """
        alter table orchard.tree add column height numeric(5,2) not null default 1.5 check (height > 0);

        comment on column orchard.tree.height is 'Metres.';
        """
      )
  }

  /// The app as the installer takes it.
  package func package() throws -> AppPackage {
    try AppPackage(files: files.map { AppFile($0.key, Array($0.value.utf8)) }, document: "orchard")
  }

  /// Writes the app into a folder, which is made if it is not there.
  package func write(to folder: String) throws {
    for (path, text) in files {
      let inner = path.contains("/") ? "/" + path.prefix { $0 != "/" } : ""
      try FileManager.default.createDirectory(atPath: folder + inner, withIntermediateDirectories: true)
      try text.write(toFile: "\(folder)/\(path)", atomically: false, encoding: .utf8)
    }
  }
}

internal import FoundationEssentials
package import Store

/// The app of `sql/examples/orchard` as files that a test may change.
package struct ExampleApp: Sendable {
  /// File contents by path in the folder.
  package private(set) var files: [String: String]

  /// Makes an app from files.
  package init(files: [String: String]) { self.files = files }

  /// The app's folder in the sources: this file is in `Tests/TestDatabase`.
  package static var folder: String {
    #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 } + "/sql/examples/orchard"
  }

  /// Reads the app from the sources.
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

  /// The text to replace does not exist.
  package struct NothingPlanted: Error {
    package let text: String
  }

  /// Returns the app with a text in one file replaced.
  package func replacing(_ text: String, with other: String, in file: String) throws -> ExampleApp {
    guard let old = files[file], old.contains(text) else { throw NothingPlanted(text: text) }
    var copy = self
    copy.files[file] = old.replacing(text, with: other)
    return copy
  }

  /// Returns the app with one more file.
  package func adding(_ file: String, _ text: String) -> ExampleApp {
    var copy = self
    copy.files[file] = text
    return copy
  }

  /// Returns version 2, in which trees have a height that is shown and editable.
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

  /// The app in the installer's form.
  package func package() throws -> AppPackage {
    try AppPackage(files: files.map { AppFile($0.key, Array($0.value.utf8)) }, document: "orchard")
  }

  /// Writes the app to a folder, which is created if necessary.
  package func write(to folder: String) throws {
    for (path, text) in files {
      let inner = path.contains("/") ? "/" + path.prefix { $0 != "/" } : ""
      try FileManager.default.createDirectory(atPath: folder + inner, withIntermediateDirectories: true)
      try text.write(toFile: "\(folder)/\(path)", atomically: false, encoding: .utf8)
    }
  }
}

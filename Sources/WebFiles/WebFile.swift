/// A text file that browsers load, or the words of a page, as it was when the program was built.
package struct WebFile: Sendable {
  /// The path below `Sources/WebFiles`, such as `style/console.css`.
  package let path: String
  package let text: String

  package init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
  }

  /// The last component of ``path``.
  package var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// The files of the folders `script`, `style` and `words`; the build plugin `EmbedFiles` generates ``all``.
package enum WebFiles {
  /// Returns the files of a folder, ordered by path.
  package static func below(_ folder: String) -> [WebFile] {
    all.filter { $0.path.hasPrefix(folder + "/") }.sorted { $0.path < $1.path }
  }
}

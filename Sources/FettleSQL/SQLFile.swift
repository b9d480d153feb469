/// A file of the folder `sql/` as it was when the binary was built.
package struct SQLFile: Sendable {
  /// Its path below `sql/`, such as `core/tables/01_company.sql`.
  package let path: String
  /// Its content; every file of `sql/` is UTF-8.
  package let text: String

  package init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
  }

  /// Its content, byte for byte.
  package var bytes: [UInt8] { Array(text.utf8) }

  /// The last component of ``path``.
  package var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

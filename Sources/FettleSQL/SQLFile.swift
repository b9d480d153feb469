/// An embedded file of the folder `sql/`, as it was when the program was built.
package struct SQLFile: Sendable {
  /// The path below `sql/`, such as `core/tables/01_company.sql`.
  package let path: String
  /// The content as text.
  package let text: String

  package init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
  }

  /// The content in bytes, which are UTF-8.
  package var bytes: [UInt8] { Array(text.utf8) }

  /// The last component of ``path``.
  package var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

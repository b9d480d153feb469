/// A file of `sql/` as it was when the binary was built.
package struct SQLFile: Sendable {
  /// Its path below `sql/`, such as `core/core_0001_catalogue.sql`.
  package let path: String
  /// What it says, byte for byte.
  package let bytes: [UInt8]

  package init(_ path: String, _ bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  /// The file as text; migrations and manifests are UTF-8.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The last component of ``path``.
  package var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// Everything under `sql/`, carried inside the binary so that one file is the whole product.
package enum SQLFiles {
  /// The files in a folder below `sql/`, in the order of their names.
  package static func below(_ folder: String) -> [SQLFile] {
    all.filter { $0.path.hasPrefix(folder + "/") }.sorted { $0.path < $1.path }
  }

  /// The file at a path below `sql/`, if the binary carries it.
  package static func at(_ path: String) -> SQLFile? {
    all.first { $0.path == path }
  }

  /// The names of the apps the binary carries.
  package static var apps: [String] {
    all.compactMap { file in
      let parts = file.path.split(separator: "/")
      return parts.count == 3 && parts[0] == "apps" && file.path.hasSuffix(".app.yaml") ? String(parts[1]) : nil
    }.sorted()
  }
}

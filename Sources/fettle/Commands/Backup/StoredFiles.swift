internal import Domain
internal import Files
internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Secrets

/// The files of records in a folder, as `<company>/<aa>/<sha256>`.
enum StoredFiles {
  /// True for the path of a sealed file: uploads that have not ended are no part of the list.
  static func isBlob(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return parts.count == 3 && parts[0].utf8.count == 36 && parts[2].utf8.count == 64
      && parts[2].hasPrefix(parts[1])
  }

  /// Returns the paths of the files in a folder.
  static func paths(in folder: String) -> [String] {
    var paths: [String] = []
    for company in names(in: folder) {
      for prefix in names(in: "\(folder)/\(company)") {
        paths += names(in: "\(folder)/\(company)/\(prefix)").map { "\(company)/\(prefix)/\($0)" }
      }
    }
    return paths.filter(isBlob)
  }

  private static func names(in folder: String) -> [String] {
    // A file where a folder is expected has no names.
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// Returns the files in a folder whose content is not that of their name, in the order of their paths.
  static func damaged(in folder: String) -> [String] {
    paths(in: folder).sorted().filter { path in
      path.split(separator: "/").last.map(String.init) != digest(of: "\(folder)/\(path)")
    }
  }

  private static func digest(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var stream = SHA256Stream()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return Hex.encode(stream.digest()) }
      guard count > 0 else { return nil }
      stream.update(Array(buffer[..<count]))
    }
  }

  /// Returns the paths of the files that a database names.
  ///
  /// - Parameter database: connected as `fettle_backup`, which reads every row.
  static func named(by database: Database) async throws -> [String] {
    try await database.rows(
      """
      select b.company_id || '/' || left(encode(b.sha256, 'hex'), 2) || '/' || encode(b.sha256, 'hex')
      from core.blob b
      where b.stored_at is not null and b.removing_at is null
      """,
      String.self
    )
  }
}

internal import FoundationEssentials
internal import Store

/// Roles, functions and views to test instead of the embedded ones.
///
/// `deploy/mutate` puts a copy of the folder `sql/`, in which one rule is broken, into `FETTLE_TEST_SQL`, and
/// need not build anything. Only test databases read the variable.
struct Mutation {
  /// The copy of `sql/`.
  let folder: String

  /// The copy named by the environment; nil if it names none.
  static var given: Mutation? {
    get throws {
      guard let folder = ProcessInfo.processInfo.environment["FETTLE_TEST_SQL"], !folder.isEmpty else {
        return nil
      }
      guard FileManager.default.fileExists(atPath: "\(folder)/core/routines") else {
        throw Missing(folder: folder)
      }
      return Mutation(folder: folder)
    }
  }

  /// The engine's schema with the files of the folder.
  func schema() throws -> SchemaFiles {
    var texts: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: "\(folder)/core")
    where path.hasSuffix(".sql") {
      texts["core/\(path)"] = try String(contentsOfFile: "\(folder)/core/\(path)", encoding: .utf8)
    }
    return try SchemaFiles.core(replacing: texts)
  }

  /// The statements of the folder that create the database roles.
  func roles() throws -> String { try String(contentsOfFile: "\(folder)/roles/roles.sql", encoding: .utf8) }

  private struct Missing: Error {
    let folder: String
  }
}

import Cluster
import Foundation
import Glibc
import Secrets
import Testing

/// A folder `.fettle` that another user has prepared in a folder where root runs commands.
@Suite struct AdoptedFolderTests {
  /// Runs a body with a folder in which another user owns `.fettle` and a key in it.
  private func prepared(_ body: (_ folder: String, _ home: String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "adopted-\(UUID().uuidString)").path
    let home = "\(folder)/.fettle"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }  // a leftover temporary folder is harmless
    chmod(folder, 0o755)
    _ = try KeyFile(path: "\(home)/fettle.key").readOrCreate()
    try #require(chown("\(home)/fettle.key", 4_711, 4_711) == 0)
    try #require(lchown(home, 4_711, 4_711) == 0)
    try body(folder, home)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a folder to another user"))
  func `root does not adopt the folder of another user`() throws {
    try prepared { folder, home in
      let error = #expect(throws: ClusterError.self) {
        try ClusterHome.locate(environment: [:], currentDirectory: folder)
      }
      #expect(error?.kind == .belongsToAnother)
      #expect(error?.hint.contains("FETTLE_HOME") == true)
      let named = try ClusterHome.locate(environment: ["FETTLE_HOME": home], currentDirectory: "/")
      #expect(named.directory.hasSuffix("/.fettle"))
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a link to another user"))
  func `root does not follow the link of another user`() throws {
    try prepared { folder, home in
      try #require(lchown(home, 0, 0) == 0)
      let place = "\(folder)/elsewhere"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
      try #require(symlink(home, "\(place)/.fettle") == 0)
      try #require(lchown("\(place)/.fettle", 4_711, 4_711) == 0)
      let error = #expect(throws: ClusterError.self) {
        try ClusterHome.locate(environment: [:], currentDirectory: place)
      }
      #expect(error?.kind == .belongsToAnother)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
  func `root does not adopt the key of another user`() throws {
    try prepared { _, home in
      let path = "\(home)/fettle.key"
      let found = KeyFile.locate(environment: [:], default: path)
      let error = #expect(throws: SecretsError.self) { try found.read() }
      #expect(error?.kind == .keyFileExposed)
      for environment in [["FETTLE_KEY_FILE": path], ["FETTLE_HOME": home]] {
        _ = try KeyFile.locate(environment: environment, default: path).read()
      }
    }
  }
}

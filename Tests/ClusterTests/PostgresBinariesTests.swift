import Glibc
import Testing

@testable import Cluster

@Suite struct PostgresBinariesTests {
  @Test func `the newest version is chosen by number, not alphabetically`() async throws {
    try await withVersions(["9", "15", "16"]) { (root: String) async throws in
      #expect(try PostgresBinaries.find(environment: [:], root: root).directory == "\(root)/16/bin")
    }
  }

  @Test func `existing data is served by the version that created it`() async throws {
    try await withVersions(["15", "16"]) { (root: String) async throws in
      #expect(
        try PostgresBinaries.find(major: 15, environment: [:], root: root).directory == "\(root)/15/bin"
      )
      let error = #expect(throws: ClusterError.self) {
        try PostgresBinaries.find(major: 14, environment: [:], root: root)
      }
      #expect(error?.hint == "install it with `apt-get install postgresql-14`")
    }
  }

  @Test func `FETTLE_PG_BIN comes first and is refused without programs`() async throws {
    try await withVersions(["15", "16"]) { (root: String) async throws in
      let chosen = "\(root)/15/bin"
      #expect(
        try PostgresBinaries.find(environment: ["FETTLE_PG_BIN": chosen], root: root).directory == chosen
      )
      let error = #expect(throws: ClusterError.self) {
        try PostgresBinaries.find(environment: ["FETTLE_PG_BIN": "\(root)/15"], root: root)
      }
      #expect(error?.kind == .binariesMissing)
    }
  }

  @Test func `a link on PATH leads to the folder of the programs`() async throws {
    try await withVersions(["15"]) { (root: String) async throws in
      let links = "\(root)/links"
      mkdir(links, 0o755)
      symlink("\(root)/15/bin/initdb", "\(links)/initdb")
      let found = try PostgresBinaries.find(environment: ["PATH": "/nowhere:\(links)"], root: "\(root)/none")
      #expect(found.directory == "\(root)/15/bin")
    }
  }

  @Test func `with nothing installed the error names the package`() {
    let error = #expect(throws: ClusterError.self) {
      try PostgresBinaries.find(environment: ["PATH": "/nowhere"], root: "/nowhere")
    }
    #expect(error?.kind == .binariesMissing)
    #expect(error?.hint.contains("apt-get install postgresql") == true)
  }

  /// Folders of versions as Debian lays them out, with empty programs.
  private func withVersions(_ versions: [String], _ body: (String) async throws -> Void) async throws {
    try await withHome { home in
      for version in versions {
        for folder in ["\(home.directory)/\(version)", "\(home.directory)/\(version)/bin"] {
          mkdir(folder, 0o755)
        }
        for program in ["initdb", "postgres"] {
          close(open("\(home.directory)/\(version)/bin/\(program)", O_CREAT | O_WRONLY, 0o755))
        }
      }
      try await body(home.directory)
    }
  }
}

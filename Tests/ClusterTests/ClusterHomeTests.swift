import Glibc
import Testing

@testable import Cluster

@Suite struct ClusterHomeTests {
  @Test func `FETTLE_HOME comes before everything else`() async throws {
    try await withHome { home in
      let found = try ClusterHome.locate(
        environment: ["FETTLE_HOME": "\(home.directory)/chosen", "XDG_DATA_HOME": home.directory],
        currentDirectory: home.directory
      )
      #expect(found == ClusterHome(directory: "\(home.directory)/chosen"))
    }
  }

  @Test func `without FETTLE_HOME the data is in the current folder`() async throws {
    try await withHome { home in
      let found = try ClusterHome.locate(environment: [:], currentDirectory: home.directory)
      #expect(found == ClusterHome(directory: "\(home.directory)/.fettle"))
    }
  }

  @Test func `if the current folder is unusable the data goes to the user's folder, with a note`()
    async throws
  {
    try await withHome { home in
      let closed = "\(home.directory)/closed"
      // As root the server's user is refused; other users are refused as themselves.
      mkdir(closed, geteuid() == 0 ? 0o700 : 0o500)
      let found = try ClusterHome.locate(
        environment: ["XDG_DATA_HOME": "\(home.directory)/data"],
        currentDirectory: closed
      )
      #expect(found.directory == "\(home.directory)/data/fettle")
      #expect(found.note?.contains(closed) == true)
    }
  }

  @Test func `a FETTLE_HOME that cannot be used is refused, not replaced`() async throws {
    try await withHome { home in
      let closed = "\(home.directory)/closed"
      mkdir(closed, geteuid() == 0 ? 0o700 : 0o500)
      let error = #expect(throws: ClusterError.self) {
        try ClusterHome.locate(
          environment: ["FETTLE_HOME": "\(closed)/here"],
          currentDirectory: home.directory
        )
      }
      #expect(error?.kind == .homeUnusable)
    }
  }

  @Test(arguments: [
    ("/srv/fettle", "/srv/fettle/postgres/run"),
    ("/" + String(repeating: "x", count: 66), "/" + String(repeating: "x", count: 66) + "/postgres/run"),
  ])
  func `a short path keeps its socket beside the data`(home: String, socket: String) {
    #expect(ClusterLayout(home: home).socketDirectory == socket)
  }

  @Test func `no socket's path is longer than the system allows`() {
    for length in 1...300 {
      let layout = ClusterLayout(home: "/" + String(repeating: "å", count: length))
      #expect("\(layout.socket).lock".utf8.count < 100)
    }
  }

  @Test func `equivalent paths are equal`() {
    #expect(ClusterHome(directory: "/usr/../usr/lib/").directory == SystemFile.canonical("/usr/lib"))
    #expect(ClusterHome(directory: "/nowhere-at-all/b").directory == "/nowhere-at-all/b")
  }
}

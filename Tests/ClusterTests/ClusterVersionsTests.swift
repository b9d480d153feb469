import Glibc
import Testing

@testable import Cluster

@Suite(.timeLimit(.minutes(60))) struct ClusterVersionsTests {
  @Test func `kept data are never replaced by an empty cluster, and are put back`() async throws {
    try await withHome { home in
      let cluster = EmbeddedCluster(home: home, durable: false)
      try await cluster.start()
      _ = try await Psql(cluster: cluster)("create table kept (a int)")
      try await cluster.stop()
      let versions = ClusterVersions(cluster)
      let major = try #require(versions.major)
      #expect(versions.kept.isEmpty)
      let aside = "\(cluster.directory)/data.\(major)"
      rename(cluster.data, aside)
      #expect(versions.kept == [ClusterVersions.Kept(major: major, folder: aside)])
      let error = await #expect(throws: ClusterError.self) { try await cluster.start() }
      #expect(error?.hint.contains("fettle postgres revert --to \(major)") == true)
      #expect(throws: ClusterError.self) { try versions.requireFree(major) }
      try versions.use(aside)
      #expect(try await cluster.start() == .started)
      #expect(try await Psql(cluster: cluster)("select count(*) from kept") == "0")
      try await cluster.stop()
    }
  }

  @Test func `a server that a killed process has closed is opened by the next start`() async throws {
    try await withHome { home in
      let cluster = EmbeddedCluster(home: home, durable: false)
      try await cluster.start()
      try await cluster.stop()
      var closed = cluster
      closed.overrides = try ClusterVersions(cluster).closed(to: ["postgres"], isReadOnly: true)
      try await closed.start()
      let psql = Psql(cluster: cluster)
      let rules = "select string_agg(user_name::text, ',') from pg_hba_file_rules"
      #expect(try await psql(rules) == "{postgres}")
      #expect(try await psql("show default_transaction_read_only") == "on")
      #expect(try await cluster.start() == .started)
      #expect(try await psql(rules) != "{postgres}")
      #expect(try await psql("show default_transaction_read_only") == "off")
      #expect(try await cluster.start() == .adopted)
      try await cluster.stop()
    }
  }

  @Test func `data that cannot be replaced stay in use`() async throws {
    try await withHome { home in
      let cluster = EmbeddedCluster(home: home, durable: false)
      try await cluster.create()
      #expect(!cluster.isRunning)
      let versions = ClusterVersions(cluster)
      #expect(throws: ClusterError.self) { try versions.use("\(home.directory)/nowhere") }
      #expect(versions.major != nil && versions.kept.isEmpty)
    }
  }

  @Test func `a program names its version, and another one is refused`() async throws {
    let binaries = try PostgresBinaries.find(environment: ["PATH": "/usr/bin:/bin"])
    #expect(try await binaries.major() >= 15)
    try await withHome { home in
      for program in ["initdb", "postgres"] { symlink("/bin/echo", "\(home.directory)/\(program)") }
      let other = try PostgresBinaries.find(environment: ["FETTLE_PG_BIN": home.directory])
      await #expect(throws: ClusterError.self) { try await other.major() }
    }
  }
}

import Testing

@testable import Cluster

/// Runs SQL on a cluster with the real `psql`: the target Cluster does not depend on libpq.
struct Psql {
  let cluster: EmbeddedCluster

  /// The unaligned output of one statement; an error in it fails the test.
  func callAsFunction(_ sql: String) async throws -> String {
    let (status, output) = try await run(sql, user: ServerUser.choose(for: cluster.directory))
    try #require(status == 0, "\(output)")
    return output
  }

  /// The exit status and all output, run as any user of the machine.
  func run(_ sql: String, user: ServerUser) async throws -> (status: Int32, output: String) {
    let folder = try EphemeralFolder.make()
    defer { folder.discard() }
    let output = "\(folder.home.directory)/psql.out"
    let status = try await command(sql, user: user, output: output).run()
    let text = SystemFile.text(at: output) ?? ""
    return (status, text.hasSuffix("\n") ? String(text.dropLast()) : text)
  }

  /// Starts an endless statement. Returns the process id of its `psql`.
  func background(_ sql: String) throws -> Int32 {
    try command(sql, user: ServerUser.choose(for: cluster.directory), output: "/dev/null").spawn()
  }

  private func command(_ sql: String, user: ServerUser, output: String) throws -> Command {
    let arguments = [
      "-X", "-q", "-A", "-t", "-h", cluster.socketDirectory, "-p", String(cluster.port), "-U", "postgres",
      "-d", "postgres", "-c", sql,
    ]
    return Command(
      executable: "\(try cluster.binaries().directory)/psql",
      arguments: arguments,
      user: user,
      output: output
    )
  }
}

/// A folder for a cluster that the test starts itself; server and folder are removed after the body.
func withHome<Result>(_ body: (ClusterHome) async throws -> Result) async throws -> Result {
  let folder = try EphemeralFolder.make()
  defer { folder.discard() }
  return try await body(folder.home)
}

internal import ArgumentParser
internal import Cluster
internal import CoreCommands

struct DownCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "down",
    abstract: "Stop the embedded PostgreSQL",
    scope: .installation,
    discussion: """
      The data is kept. `fettle up` starts PostgreSQL again. A `fettle up` that was
      killed runs this command with --unless-used.

      Example: fettle down
      """
  )

  @Flag(help: "Leave it running while a `fettle up` uses it")
  var unlessUsed = false

  func run() async throws {
    let cluster = EmbeddedCluster(home: try ClusterHome.locate())
    if unlessUsed { return try await stopUnused(cluster) }
    guard cluster.isRunning else {
      Message.tell("the embedded PostgreSQL is not running")
      return
    }
    try await cluster.stop()
    Message.tell("PostgreSQL has stopped")
  }

  /// Stops PostgreSQL unless a process uses it. Keeps others from starting it meanwhile.
  private func stopUnused(_ cluster: EmbeddedCluster) async throws {
    guard cluster.standing != .stopped else { return }
    guard let use = try ClusterUse.exclusive(cluster) else {
      return Message.tell("PostgreSQL keeps running: a `fettle up` uses it")
    }
    try await cluster.stop()
    _ = consume use
    Message.tell("PostgreSQL has stopped")
  }
}

internal import ArgumentParser
internal import Cluster
internal import CoreCommands

struct DownCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "down",
    abstract: "Stop the embedded PostgreSQL",
    scope: .installation,
    discussion: """
      The data is kept. `fettle up` starts PostgreSQL again.

      Example: fettle down
      """
  )

  func run() async throws {
    let cluster = EmbeddedCluster(home: try ClusterHome.locate())
    guard cluster.isRunning else {
      Message.tell("the embedded PostgreSQL is not running")
      return
    }
    try await cluster.stop()
    Message.tell("PostgreSQL has stopped")
  }
}

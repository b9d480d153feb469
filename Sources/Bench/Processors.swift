internal import FoundationEssentials
internal import Glibc

/// Which processors this program and the server may use.
///
/// With one connection only one side works at a time, so all depends on where the scheduler wakes the other: on the same
/// processor it takes a third of the time. It decides so for a whole run, for either side, by chance.
enum Processors {
  /// Runs a body while we, our tools, and every connection of the server made meanwhile are held to one processor.
  static func heldToOne<T>(server: Int32, _ body: () async throws -> T) async throws -> T {
    let all = "0-\(ProcessInfo.processInfo.activeProcessorCount - 1)"
    try hold(server, to: "0")
    do {
      let value = try await body()
      try hold(server, to: all)
      return value
    } catch {
      try hold(server, to: all)
      throw error
    }
  }

  private static func hold(_ server: Int32, to list: String) throws {
    for pid in [server, getpid()] {
      _ = try Tool(path: "/usr/bin/taskset").run(["--all-tasks", "--cpu-list", "--pid", list, String(pid)])
    }
  }
}

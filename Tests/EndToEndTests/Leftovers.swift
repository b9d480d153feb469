import Foundation

/// What a run that was killed has left in `/tmp`: its folders, and the servers and workers that it had started there.
///
/// Each folder says in its name which process made it; the next run clears away those of processes that are dead.
enum Leftovers {
  private static let prefix = "fettle-e2e-"

  /// A folder of this process, by a name short enough for sockets.
  static func newFolder() -> URL {
    _ = swept
    return URL(filePath: "/tmp/\(prefix)\(getpid())-\(UUID().uuidString.prefix(8))")
  }

  /// Done once, before the first folder is made.
  private static let swept: Void = sweep()

  private static func sweep() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/tmp")) ?? []
    for name in names where name.hasPrefix(prefix) {
      let process = name.dropFirst(prefix.count).prefix { $0 != "-" }
      guard let id = Int32(process), !isAlive(id) else { continue }
      clear(URL(filePath: "/tmp/\(name)"))
    }
  }

  /// Ends what still runs there and removes the folder; what cannot be removed is tried by the next run.
  static func clear(_ folder: URL) {
    for id in processes(at: folder) { kill(id, SIGKILL) }
    _ = try? FettleProcess.run(FettleProcess.executable, ["down"], ["FETTLE_HOME": "\(folder.path)/home"])
    try? FileManager.default.removeItem(at: folder)
  }

  private static func isAlive(_ id: Int32) -> Bool { kill(id, 0) == 0 || errno == EPERM }

  /// The commands that were given this folder as their home; a server has an environment of its own.
  static func processes(at folder: URL) -> [Int32] {
    let mark = Data("FETTLE_HOME=\(folder.path)".utf8)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap(Int32.init).filter { id in
      // Others' processes do not show theirs, and one that has just ended has none.
      guard id != getpid(), let environment = try? Data(contentsOf: URL(filePath: "/proc/\(id)/environ"))
      else {
        return false
      }
      return environment.range(of: mark) != nil
    }
  }
}

package import Foundation
internal import Synchronization
internal import TestTools

/// The remains of killed test runs in `/tmp`: their folders, and the servers and workers started there.
///
/// Each folder's name contains the id of the process that created it. The next run removes those of dead
/// processes.
package enum Leftovers {
  private static let prefix = "fettle-e2e-"

  /// Returns a folder of this process, with a name short enough for sockets.
  package static func newFolder() -> URL {
    _ = swept
    return URL(filePath: "/tmp/\(prefix)\(getpid())-\(UUID().uuidString.prefix(8))")
  }

  /// Creates a folder for processes that all tests share. It is removed when this process ends, with those that have it
  /// as their `FETTLE_HOME`, or its folder `home`.
  package static func folderUntilExit() throws -> URL {
    let folder = newFolder()
    try FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o711]
    )
    let count = lasting.withLock { folders in
      folders.append(folder)
      return folders.count
    }
    if count == 1 { atexit { Leftovers.lasting.withLock { $0 }.forEach(Leftovers.clear) } }
    return folder
  }

  private static let lasting = Mutex<[URL]>([])

  /// Runs once, before the first folder is created.
  private static let swept: Void = sweep()

  private static func sweep() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/tmp")) ?? []
    for name in names where name.hasPrefix(prefix) {
      let process = name.dropFirst(prefix.count).prefix { $0 != "-" }
      guard let id = Int32(process), !isAlive(id) else { continue }
      clear(URL(filePath: "/tmp/\(name)"))
    }
  }

  /// Ends the remaining processes and removes the folder. The next run retries after a failure.
  package static func clear(_ folder: URL) {
    for id in processes(at: folder) { kill(id, SIGKILL) }
    stop(folder.appending(path: "home"))
    try? FileManager.default.removeItem(at: folder)
  }

  /// Stops the server of a home. Blocks its thread, since it runs before the first test.
  private static func stop(_ home: URL) {
    guard FileManager.default.fileExists(atPath: home.path) else { return }
    let environment = ["PATH": "/usr/bin:/bin", "FETTLE_HOME": home.path]
    try? Child(FettleProcess.executable.path, ["down"], environment: environment).wait()
  }

  private static func isAlive(_ id: Int32) -> Bool { kill(id, 0) == 0 || errno == EPERM }

  /// Returns the processes with this folder as their `FETTLE_HOME`; servers have another environment.
  package static func processes(at folder: URL) -> [Int32] {
    let mark = Data("FETTLE_HOME=\(folder.path)".utf8)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap(Int32.init).filter { id in
      // The environment of other users' processes and of processes that have just ended is unreadable.
      guard id != getpid(), let environment = try? Data(contentsOf: URL(filePath: "/proc/\(id)/environ"))
      else {
        return false
      }
      return environment.range(of: mark) != nil
    }
  }
}

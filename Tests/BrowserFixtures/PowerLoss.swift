package import Foundation

/// Ends a browser without a chance to tidy up.
package enum PowerLoss {
  /// Kills every process of a profile, waits until they have ended, and removes the marks by which a browser knows that
  /// another one has it.
  static func kill(_ profile: URL) {
    // A process can start another one meanwhile; one that is in the middle of a write to the disk ends after it.
    for _ in 0..<1_000 {
      let left = processes(of: profile)
      if left.isEmpty { break }
      for id in left { Foundation.kill(id, SIGKILL) }
      usleep(10_000)
    }
    for name in ["SingletonLock", "SingletonCookie", "SingletonSocket"] {
      try? FileManager.default.removeItem(at: profile.appending(path: name))
    }
  }

  /// Returns the running processes that name a profile.
  package static func processes(of profile: URL) -> [Int32] {
    let manager = FileManager.default
    let mark = "--user-data-dir=\(profile.path)"
    let all = ((try? manager.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init)
    // One that has ended and whose parent has not noticed has no command line.
    return all.filter { id in
      String(decoding: manager.contents(atPath: "/proc/\(id)/cmdline") ?? Data(), as: UTF8.self).contains(
        mark
      )
    }
  }

  /// Leaves the beginning of a write at the end of the log of an origin's databases, as a loss of power in its middle does.
  ///
  /// Chromium ignores it at the next launch, writes on behind it, and deletes the databases at the launch after that.
  ///
  /// - Returns: false if this Chromium keeps its databases in another way.
  package static func tearWrite(in profile: URL, port: Int) throws -> Bool {
    let folder = profile.appending(path: "Default/IndexedDB/http_127.0.0.1_\(port).indexeddb.leveldb")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    guard let name = names.filter({ $0.hasSuffix(".log") }).max() else { return false }
    let log = try FileHandle(forWritingTo: folder.appending(path: name))
    defer { try? log.close() }
    try log.seekToEnd()
    // The checksum, the length of 1,000 bytes, the kind of a whole record, and 20 of the bytes.
    try log.write(contentsOf: Data([1, 2, 3, 4, 0xE8, 3, 1] + Array(repeating: 7, count: 20)))
    return true
  }
}

internal import Foundation

/// Ends a browser without a chance to tidy up.
enum PowerLoss {
  /// Kills every process of a profile, and removes the marks by which a browser knows that another one has it.
  static func kill(_ profile: URL) {
    let manager = FileManager.default
    let mark = "--user-data-dir=\(profile.path)"
    for name in (try? manager.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let id = Int32(name), let line = manager.contents(atPath: "/proc/\(name)/cmdline"),
        String(decoding: line, as: UTF8.self).contains(mark)
      else { continue }
      Foundation.kill(id, SIGKILL)
    }
    for name in ["SingletonLock", "SingletonCookie", "SingletonSocket"] {
      try? manager.removeItem(at: profile.appending(path: name))
    }
  }
}

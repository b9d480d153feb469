internal import Cluster
internal import FoundationEssentials
internal import Server

/// The origin under which clients reach the server that was started last, for the commands that write links. It is kept in
/// a file of the installation's folder.
enum ServerAddress {
  /// The origin of a server that was started without options.
  private static let standard = "http://127.0.0.1:8080"

  /// Records the origin of a server that listens. Without a folder, nothing is kept.
  ///
  /// - Parameter isEmbedded: true if the database is that of `fettle up`.
  static func record(_ origin: String, isEmbedded: Bool) {
    guard let path = path(isEmbedded) else { return }
    // A server in a folder that it cannot write serves all the same: the links need an option then.
    try? Data((origin + "\n").utf8).write(to: URL(filePath: path), options: .atomic)
  }

  /// Returns the origin of the server that was started last, or else the standard one of this machine.
  static func last(isEmbedded: Bool) -> String {
    let text = path(isEmbedded).flatMap { try? String(contentsOfFile: $0, encoding: .utf8) }
    let line = text?.split(separator: "\n").first.map(String.init)
    return line.flatMap { PublicOrigin($0) }?.text ?? standard
  }

  /// Returns the path of the file: in FETTLE_HOME, or in the folder of the embedded database. A folder that is only found
  /// has nothing to do with another database.
  private static func path(_ isEmbedded: Bool) -> String? {
    let chosen = ProcessInfo.processInfo.environment["FETTLE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    let found = isEmbedded ? (try? ClusterHome.locate())?.directory : nil
    return (chosen ?? found).map { "\($0)/server.url" }
  }
}

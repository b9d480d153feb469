extension EmbeddedCluster {
  /// How it is with the server at the moment.
  package enum Standing: Equatable, Sendable {
    /// It takes connections.
    case ready
    /// It is alive and takes none: it starts, recovers or stops, or is too busy to say.
    case busy
    /// Nobody is there; the last one stopped in order, or there was none.
    case stopped
    /// Nobody is there, and the last one left without a word: it was killed, or the machine was.
    case crashed
  }

  /// Asks the server, and where it does not answer, looks at what it left.
  package var standing: Standing {
    if isRunning { return .ready }
    if serverID != nil { return .busy }
    return SystemFile.exists(layout.postmasterFile) ? .crashed : .stopped
  }
}

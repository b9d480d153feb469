/// The limits of clients that wait for hints of a serving process.
package struct HintLimits: Sendable {
  /// The maximum number of streams and waiting requests in all.
  package var waiting = 12_000
  /// The maximum number of streams of a member.
  package var perMember = 20
  /// The time after which a stream ends, so that its credential is presented again.
  package var life = Duration.seconds(900)
  /// The most by which the life of a stream differs, so that the streams of a start do not end together.
  package var jitter = Duration.seconds(120)
  /// The time between signs of life on a stream.
  package var commentEvery = Duration.seconds(25)
  /// The least time between two hints on a stream.
  package var pause = Duration.seconds(1)
  /// The time over which the hints are spread after notifications may have been missed.
  package var spread = Duration.seconds(5)

  package init() {}
}

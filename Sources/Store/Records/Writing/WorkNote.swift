internal import Domain
package import FoundationEssentials
internal import Synchronization

/// Facts about a unit of work besides its answer, for the HTTP API.
///
/// ```swift
/// let note = WorkNote()
/// let answer = try await WorkNote.$current.withValue(note) { try await records.create(…) }
/// print(note.isReplay)
/// ```
///
/// Not a parameter of the use cases, because only the API asks for the facts, and for those of every use case.
package final class WorkNote: Sendable {
  /// The note of the units of work of this task; nil for none.
  @TaskLocal package static var current: WorkNote?

  private struct State {
    var isReplay = false
    var epoch: UUID?
    var checkpoint: Int64?
  }

  private let state = Mutex(State())
  private let expectedEpoch: String?
  /// True if the unit of work shall read ``checkpoint``.
  let wantsCheckpoint: Bool

  /// - Parameters:
  ///   - expectedEpoch: the beginning of the required epoch, in lower case; nil for any. Another epoch makes the unit
  ///     of work fail as `stale`.
  ///   - wantsCheckpoint: true to read the position of the feed at the commit.
  package init(expectedEpoch: String? = nil, wantsCheckpoint: Bool = false) {
    self.expectedEpoch = expectedEpoch
    self.wantsCheckpoint = wantsCheckpoint
  }

  /// True if the answer is the stored one of an earlier request with the same idempotency key.
  package var isReplay: Bool { state.withLock(\.isReplay) }

  /// The epoch of the database; nil before the unit of work has read it.
  package var epoch: UUID? { state.withLock(\.epoch) }

  /// A position in the company's feed that includes the changes of the unit of work; nil before its commit.
  package var checkpoint: Int64? { state.withLock(\.checkpoint) }

  func note(checkpoint: Int64) { state.withLock { $0.checkpoint = checkpoint } }

  func noteReplay() { state.withLock { $0.isReplay = true } }

  func note(_ epoch: UUID) { state.withLock { $0.epoch = epoch } }

  /// - Throws: `stale` if the database has another epoch than the expected one.
  func requireEpoch(_ access: Access) throws(DomainError) {
    guard let expectedEpoch, !access.epoch.text.hasPrefix(expectedEpoch) else { return }
    throw DomainError(.stale, "the database was restored in the meantime")
  }
}

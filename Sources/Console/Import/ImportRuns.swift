internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Synchronization

/// The imports that this process carries out for people, with how far they are.
///
/// A page does not wait for a long import: it shows how far it is, and the result is kept with the file.
final class ImportRuns: Sendable {
  struct Progress: Sendable {
    var done = 0
    var total = 0
  }

  private let known = Mutex<[UUID: Progress]>([:])

  /// How far an import is; nil if this process does not carry it out.
  func progress(_ id: UUID) -> Progress? { known.withLock { $0[id] } }

  /// Begins an import and waits a moment for it, because most are short.
  func begin(_ id: UUID, _ body: @escaping @Sendable (@escaping RecordImporter.Progress) async throws -> Void)
    async
  {
    known.withLock { $0[id] = Progress() }
    let task = Task {
      defer { _ = known.withLock { $0.removeValue(forKey: id) } }
      // Why it failed is kept with the file.
      try? await body { done, total in
        self.known.withLock { $0[id] = Progress(done: done, total: total) }
      }
    }
    for _ in 0..<40 where progress(id) != nil { try? await Task.sleep(for: .milliseconds(50)) }
    _ = task
  }
}

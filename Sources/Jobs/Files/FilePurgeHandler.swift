package import Domain
package import Engine

/// Removes a company's ended uploads, and the bytes that no file needs any more. A schedule enqueues the job daily, and
/// every prepared file once more.
package struct FilePurgeHandler: JobHandler {
  /// `file.purge`.
  package let kind = FilePurge.kind
  /// Ten minutes.
  package var timeout: Duration? { .seconds(600) }
  private let records: Records

  /// - Parameter records: opened with the worker's login and the store of files.
  package init(_ records: Records) { self.records = records }

  /// Removes them. The removal from the store and from the database may be repeated.
  ///
  /// - Throws: ``JobFailure/snooze(_:_:)`` if this process has no store of files.
  package func run(_ payload: JSONObject, context: JobContext) async throws -> JobEffects {
    guard let store = records.blobs else {
      throw JobFailure.snooze(.seconds(3_600), "this worker has no store of files; see --blobs")
    }
    let outcome = try await FilePurge(context.database, store, company: context.company).run()
    if outcome != FilePurge.Outcome() {
      context.note(
        "removed \(outcome.uploads) uploads, \(outcome.blobs) blobs, \(outcome.parts) abandoned parts"
      )
    }
    return .none
  }
}

package import Domain

/// Prepares the questions to the program of one kind and uses its answers.
///
/// For a kind without a task, the program gets only the job's ids, kind, attempt and payload, and its answer
/// is ignored.
///
/// ```swift
/// struct SummaryTask: ProgramTask {
///   let kind = "report.summarise"
///
///   func question(_ payload: JSONObject, context: JobContext) async throws -> JSONObject? {
///     ["text": .string(try await text(of: payload, context.database))]
///   }
///
///   func effects(of answer: JSONObject, _ payload: JSONObject, context: JobContext) throws -> JobEffects {
///     guard let summary = answer["summary"]?.string else {
///       throw JobFailure.permanent("no summary")
///     }
///     return JobEffects { tx in
///       try tx.execute("update report set summary = \(summary) where job = \(context.id)")
///     }
///   }
/// }
/// ```
package protocol ProgramTask: Sendable {
  /// The kind of job; a program registered for another kind does not use this task.
  var kind: String { get }

  /// Returns members to add to the question; nil if nothing is left to do, so that the job succeeds without
  /// the program.
  ///
  /// The question already has `kind`, `job`, `attempt`, `idempotency_key`, `company` and `payload`; members
  /// of the same name replace them.
  ///
  /// - Throws: ``JobFailure``, or another error, after which the job is retried.
  func question(_ payload: JSONObject, context: JobContext) async throws -> JSONObject?

  /// Returns the effects of the program's answer, written with the job's success.
  ///
  /// - Throws: ``JobFailure/permanent(_:)`` if the answer is invalid. After another error the job is retried,
  ///   and the program asked again.
  func effects(of answer: JSONObject, _ payload: JSONObject, context: JobContext) throws -> JobEffects
}

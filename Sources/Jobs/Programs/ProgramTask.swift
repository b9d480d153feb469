package import Domain

/// A kind of job that is done by something outside: what that is told, and what becomes of its answer.
///
/// A kind without a task of its own is told what the job holds, and its answer is not looked at.
package protocol ProgramTask: Sendable {
  /// The kind of job.
  var kind: String { get }

  /// What the program is told beside the job itself; nil when there is nothing to do any more.
  func question(_ payload: JSONObject, context: JobContext) async throws -> JSONObject?

  /// What the program's answer leads to, written with the job's success.
  ///
  /// - Throws: when the answer is none; the job is dead then, and whoever looks at it sees why.
  func effects(of answer: JSONObject, _ payload: JSONObject, context: JobContext) throws -> JobEffects
}

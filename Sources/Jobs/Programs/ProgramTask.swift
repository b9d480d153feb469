package import Domain

/// A kind of job that a program runs: prepares the question and uses the answer.
///
/// For a kind without a task, the program gets the job's payload only, and its answer is ignored.
package protocol ProgramTask: Sendable {
  /// The kind of job.
  var kind: String { get }

  /// Returns the part of the question beside the job itself; nil if there is nothing left to do.
  func question(_ payload: JSONObject, context: JobContext) async throws -> JSONObject?

  /// Returns the effects of the program's answer, written with the job's success.
  ///
  /// - Throws: an error if the answer is invalid. The job is dead then, and the error says why.
  func effects(of answer: JSONObject, _ payload: JSONObject, context: JobContext) throws -> JobEffects
}

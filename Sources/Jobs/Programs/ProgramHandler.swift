package import Domain
package import Engine
internal import FoundationEssentials
internal import Secrets
internal import Store
package import Webhooks

/// Runs jobs of a kind with a program that the operator registered. The program gets JSON on its standard
/// input, or as a POST to its address, and answers with JSON of at most 1 MiB.
///
/// A POST is signed with the keys of the engine's own webhooks and carries the job's idempotency key as its
/// delivery id.
package struct ProgramHandler: JobHandler {
  /// The kind of the registered program.
  package let kind: String
  private let program: Program
  private let limits: Program.Limits
  private let task: (any ProgramTask)?
  private let client: WebhookClient
  private let services: Services

  /// Creates a handler.
  ///
  /// - Parameters:
  ///   - program: the executable file or address.
  ///   - limits: the maximum time and memory for one job.
  ///   - task: prepares the question to the program and uses its answer; nil if neither is needed.
  ///   - policy: the addresses that may be posted to.
  ///   - services: the source of the signing keys.
  package init(
    _ program: Program,
    limits: Program.Limits,
    task: (any ProgramTask)?,
    policy: NetworkPolicy,
    services: Services
  ) {
    kind = program.kind
    self.program = program
    self.limits = limits
    self.task = task
    self.services = services
    client = WebhookClient(
      policy: policy,
      limits: WebhookClient.Limits(total: limits.time, responseBytes: ProgramProcess.longestAnswer)
    )
  }

  /// Asks the program and returns the effects of its answer.
  ///
  /// Without a task, the program's answer changes nothing; it is kept as a note of the job. With a task whose question is nil, the program is not
  /// asked.
  ///
  /// - Throws: ``JobFailure``: temporary on timeout, for the exit status 75, and for a response that asks for
  ///   another attempt; permanent for any other refusal, for an answer over 1 MiB, and, with a task, for an
  ///   answer that is not a JSON object.
  package func run(_ payload: JSONObject, context: JobContext) async throws -> JobEffects {
    var question: JSONObject = [
      "kind": .string(kind), "job": .string(context.job.id.text), "attempt": .integer(context.job.attempt),
      "idempotency_key": .string(context.idempotencyKey), "company": .string(context.job.company.text),
      "payload": .object(payload),
    ]
    if let task {
      guard let more = try await task.question(payload, context: context) else { return .none }
      for (name, value) in more.members { question[name] = value }
    }
    let text = JSONValue.object(question).text
    let answer =
      switch program.place {
      case .executable(let path):
        try await ProgramProcess(
          path: path,
          limits: limits,
          attempt: context.attempt,
          environment: environment(context)
        ).ask(text)
      case .address(let url): try await post(text, to: url, context)
      }
    guard let task else {
      note(answer, context)
      return .none
    }
    guard let object = try? JSONValue(parsing: answer).object else {  // reported below, with the kind
      throw JobFailure.permanent("the answer to \(kind) is not a JSON object")
    }
    return try task.effects(of: object, payload, context: context)
  }

  /// Keeps an answer that no task uses as a note of the job, and says if it is not JSON.
  private func note(_ answer: String, _ context: JobContext) {
    let text = answer.trimmingSpaces()
    guard !text.isEmpty, text != "{}" else { return }
    let isJSON = (try? JSONValue(parsing: text)) != nil  // any other text is kept as it is
    context.note(isJSON ? "answer: \(text)" : "answer, which is not JSON: \(text)")
  }

  /// Returns the environment of one attempt.
  private func environment(_ context: JobContext) -> ProgramEnvironment {
    ProgramEnvironment(
      worker: ProcessInfo.processInfo.environment,
      job: context.id,
      kind: kind,
      run: UUID()
    )
  }

  /// Posts the question and returns the body of the response, `{}` if it is empty.
  private func post(_ text: String, to url: String, _ context: JobContext) async throws -> String {
    let outcome = await client.deliver(
      Webhook(
        url: url,
        event: kind,
        delivery: context.idempotencyKey,
        body: Array(text.utf8),
        keys: try services.keys().all(.webhook).reversed().map(\.bytes)
      )
    )
    switch outcome.verdict {
    case .delivered where outcome.isBodyTruncated:
      throw JobFailure.permanent("the answer is longer than 1 MiB")
    case .delivered: return outcome.body.isEmpty ? "{}" : String(decoding: outcome.body, as: UTF8.self)
    case .retry(let after): throw JobFailure.temporary(outcome.reason ?? "no answer", after: after)
    case .failed: throw JobFailure.permanent(outcome.reason ?? "refused")
    }
  }
}

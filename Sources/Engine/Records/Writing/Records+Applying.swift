internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension Records {
  /// Applies a creation, an edit or a transition within a unit of work, with its follow-ups.
  ///
  /// - Parameter isImported: true for a record that had its follow-ups in another system.
  func apply(
    _ operation: RecordOperation,
    isImported: Bool = false,
    _ acting: ActingContext,
    in work: inout Work
  ) throws -> RecordAnswer {
    var request = ChangeRequest(no: 0, operation: operation)
    request.isImported = isImported
    var version: Int64?
    switch try apply(request, acting, nil, seeing: &version, in: &work) {
    case .applied(let answer, _): return answer
    case .refused(let error, _): throw error
    case .done: throw DomainError(.internal)
    }
  }

  /// Applies a change by itself: a wave of one.
  ///
  /// - Parameter version: set to the record's version before the change.
  func apply(
    _ request: ChangeRequest,
    _ acting: ActingContext,
    _ policy: (any ChangePolicy)?,
    seeing version: inout Int64?,
    in work: inout Work
  ) throws -> ChangeOutcome {
    let numbers = work.numbers
    func ask(_ type: RecordType, _ pipeline: inout Pipeline) throws -> (RecordChange, ChangeQuestions) {
      let change = try ChangePreparation.alone(request, type, self, acting)
      let device = policy?.device
      return (
        change,
        try ChangeRun.ask([change], locking: [change], self, acting, device: device, numbers, &pipeline)
      )
    }
    let name = request.operation.subject.type
    let (type, access, asked) = try read(name, acting, in: &work, ask)
    var (change, questions) = asked
    var reading = try ChangeReading(questions)
    if let next = next(type, of: acting.company.id, status: reading.status(of: change)) {
      // An activation has moved the record already.
      (change, questions) = try work.readMore { try ask(next, &$0) }
      reading = try ChangeReading(questions)
    }
    version = reading.standing(of: change)?.version
    var decisions = ChangeDecisions(self, acting, try Rights(acting, access), policy, reading)
    return try decisions.decideAlone(change, in: &work)
  }
}

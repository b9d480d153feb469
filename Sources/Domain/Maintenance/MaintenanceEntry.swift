package import FoundationEssentials

/// One piece of work on one machine, from report to completion.
package struct MaintenanceEntry: RecordFields {
  /// The number of the entry, such as `WO-1007`; set by the engine.
  package let number: String?
  /// The counter in the number.
  package let numberSeq: Int64?
  /// The machine.
  package let machineID: UUID
  /// The category of work.
  package let categoryID: UUID
  /// The work to do; the column `description`.
  package let summary: String
  /// The estimated duration, 0 to 9,999 hours.
  package let estimatedHours: Hours
  /// The actual cost in the company's currency.
  package let actualCost: Money?
  /// The date of the report, in the company's time zone.
  package let reportedOn: LocalDate
  /// The number of the entry in another system; unique in the company.
  package let externalRef: String?
  /// The priority: 1 urgent, 2 normal, 3 low, 4 when convenient.
  package let priority: Int
  /// The member to whom the work is assigned.
  package let assignedTo: UUID?
  /// The due date.
  package let dueOn: LocalDate?
  /// The preventive plan that created it.
  package let planID: UUID?
  /// The due date that the plan set, even if ``dueOn`` was changed later.
  package let plannedOn: LocalDate?
  /// The meter reading at which the plan was due.
  package let plannedUnits: ExactDecimal?
  /// The partially completed entry that this entry continues.
  package let splitFrom: UUID?
  /// The name that the reporter had at that time.
  package let createdByName: String?
  /// The status in the workflow.
  package let status: MaintenanceStatus
  /// The category of ``status``.
  package let statusCategory: StateCategory
  /// The time at which work started; set by the transition.
  package let startedAt: Instant?
  /// The member who started the work; set by the transition.
  package let startedBy: UUID?
  /// The time at which work was completed; set by the transition.
  package let completedAt: Instant?
  /// The member who completed the work; set by the transition.
  package let completedBy: UUID?
  /// The findings and the work done.
  package let completionNote: String?

  package enum CodingKeys: String, CodingKey, CaseIterable {
    case number
    case numberSeq = "number_seq"
    case machineID = "machine_id"
    case categoryID = "category_id"
    case summary = "description"
    case estimatedHours = "estimated_hours"
    case actualCost = "actual_cost"
    case reportedOn = "reported_on"
    case externalRef = "external_ref"
    case priority
    case assignedTo = "assigned_to"
    case dueOn = "due_on"
    case planID = "plan_id"
    case plannedOn = "planned_on"
    case plannedUnits = "planned_units"
    case splitFrom = "split_from"
    case createdByName = "created_by_name"
    case status
    case statusCategory = "status_category"
    case startedAt = "started_at"
    case startedBy = "started_by"
    case completedAt = "completed_at"
    case completedBy = "completed_by"
    case completionNote = "completion_note"
  }

  /// Creates the columns.
  package init(
    number: String? = nil,
    numberSeq: Int64? = nil,
    machineID: UUID,
    categoryID: UUID,
    summary: String,
    estimatedHours: Hours,
    actualCost: Money? = nil,
    reportedOn: LocalDate,
    externalRef: String? = nil,
    priority: Int,
    assignedTo: UUID? = nil,
    dueOn: LocalDate? = nil,
    planID: UUID? = nil,
    plannedOn: LocalDate? = nil,
    plannedUnits: ExactDecimal? = nil,
    splitFrom: UUID? = nil,
    createdByName: String? = nil,
    status: MaintenanceStatus,
    statusCategory: StateCategory,
    startedAt: Instant? = nil,
    startedBy: UUID? = nil,
    completedAt: Instant? = nil,
    completedBy: UUID? = nil,
    completionNote: String? = nil
  ) {
    self.number = number
    self.numberSeq = numberSeq
    self.machineID = machineID
    self.categoryID = categoryID
    self.summary = summary
    self.estimatedHours = estimatedHours
    self.actualCost = actualCost
    self.reportedOn = reportedOn
    self.externalRef = externalRef
    self.priority = priority
    self.assignedTo = assignedTo
    self.dueOn = dueOn
    self.planID = planID
    self.plannedOn = plannedOn
    self.plannedUnits = plannedUnits
    self.splitFrom = splitFrom
    self.createdByName = createdByName
    self.status = status
    self.statusCategory = statusCategory
    self.startedAt = startedAt
    self.startedBy = startedBy
    self.completedAt = completedAt
    self.completedBy = completedBy
    self.completionNote = completionNote
  }

  package static let typeName = "maintenance.entry"

  package static var columns: [String] { RecordBase.columns + CodingKeys.allCases.map(\.rawValue) }
}

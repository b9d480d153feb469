package import Apps
package import ArgumentParser
internal import CoreCommands
package import Demo

extension MaintenanceApp: AppInterface {
  package var verbs: [String: [any ParsableCommand.Type]] {
    [
      "machine": [MachineAdd.self, MachineRename.self],
      "category": [CategoryRename.self],
      "entry": [EntrySplitCommand.self, EntryImport.self],
      "time": [TimeList.self, TimeAdd.self, TimeUpdate.self],
      "plan": [PlanList.self, PlanAdd.self],
      "meter": [MeterRead.self, MeterCorrect.self, MeterWithdraw.self, MeterReadings.self],
    ]
  }

  package var demo: (any AppDemo)? { MaintenanceDemo() }
}

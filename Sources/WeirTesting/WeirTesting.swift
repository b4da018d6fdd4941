// A test that names a budget needs the budget's type, and its report.
@_exported public import WeirAudit
@_exported public import WeirModel

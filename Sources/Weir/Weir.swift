@_exported public import WeirModel

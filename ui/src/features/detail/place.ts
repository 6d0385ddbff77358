/** The heading of the detail column, where the focus goes on Enter. */
export const DETAIL_ID = 'detail';
